import { writeFileSync } from 'node:fs';
import { settingsPages } from './pages.ts';

for (const [path, text] of Object.entries(await settingsPages())) writeFileSync(path, text);
