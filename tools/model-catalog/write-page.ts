import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../repository.ts';
import { modelsPage } from './page.ts';

writeFileSync(join(repository, 'docs/models.md'), modelsPage());
