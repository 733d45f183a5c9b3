// Writes the table of what every caller's dialect can say to every upstream into the README of the providers.
import { printTable } from './matrix.ts';

printTable();
