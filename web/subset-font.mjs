// Writes src/app/inter-ascii.woff2: the letters that nearly every page is made of, in the weights that the theme uses. A third of the
// whole Latin file, which browsers load only for pages with other letters. Run it after an update of @fontsource-variable/inter.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const from = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'));
const to = join(import.meta.dirname, 'src/app/inter-ascii.woff2');
const ascii = Array.from({ length: 0x7e - 0x20 + 1 }, (_, index) => String.fromCodePoint(0x20 + index)).join('');
/** With global.css, which names them in its unicode-range. */
const others = '\u00a0·×–—‘’“”•…→';

const font = await subsetFont(readFileSync(join(from, 'files/inter-latin-wght-normal.woff2')), ascii + others, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 600 } },
  keepFeatures: ['kern', 'tnum', 'calt', 'ccmp', 'locl', 'mark'],
});
writeFileSync(to, font);
copyFileSync(join(from, 'LICENSE'), `${to}.license`);
