import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settingsPages } from '../settings-pages/pages.ts';
import { localSettings, serviceSettings } from '../settings-pages/read-settings.ts';

describe('the pages of settings', function () {
  this.timeout(20_000);

  it('are what `npm run settings` writes now', async () => {
    for (const [path, text] of Object.entries(await settingsPages())) {
      expect(existsSync(path) && readFileSync(path, 'utf8'), `${path} is out of date: npm run settings`).to.equal(text);
    }
  });

  it('explain every setting', async () => {
    for (const { name, meaning } of [...localSettings(), ...(await serviceSettings())])
      expect(meaning, name)
        .to.match(/^[A-Z]/)
        .and.not.include(' // ');
  });
});
