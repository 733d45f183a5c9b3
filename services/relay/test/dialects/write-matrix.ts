// Writes what every caller's dialect can say to every upstream, and what becomes of requests, into the README of the providers.
import { printTable } from './matrix.ts';
import { printRequestTable } from './requests/table.ts';

printTable();
printRequestTable();
