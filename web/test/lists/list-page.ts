import type { Locator, Page } from 'playwright-core';
import type { Site } from '../support/site.ts';

/** The lists of one site, as its tests go about in them. */
export class ListPage {
  site!: Site;
  /** How many there are; two are deleted at each width. */
  tokens = 49;

  get page(): Page {
    return this.site.page;
  }

  row(name: string): Locator {
    return this.page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) });
  }

  boxOf(name: string): Locator {
    return this.page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  }

  selected(count: number): Promise<void> {
    return this.page.getByRole('toolbar', { name: `${count} selected` }).waitFor();
  }

  range(text: string): Promise<void> {
    return this.page.getByText(text, { exact: true }).waitFor();
  }

  async openTokens(query = ''): Promise<void> {
    await this.site.open(`/token${query}`);
    await this.page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
  }
}

export const widths = [360, 768, 1280];
