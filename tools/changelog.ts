import { execFileSync } from 'node:child_process';
import { repository } from './repository.ts';

const headings: Record<string, string> = { feat: 'Added', fix: 'Fixed', perf: 'Changed', refactor: 'Changed' };

/** `npm run changelog`: the Conventional Commits since the last tag (all, where there is none) as a draft for CHANGELOG.md. */
function draft(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const subjects = git('log', '--format=%s', ...sinceLastTag(git)).split('\n');
  const sections = new Map<string, string[]>();
  for (const subject of subjects) {
    const parts = /^(feat|fix|perf|refactor)(?:\(([^)]+)\))?(!)?: (.+)$/.exec(subject);
    if (!parts) continue;
    const [, type = '', scope, breaking, text] = parts;
    const heading = breaking ? 'Breaking' : (headings[type] ?? type);
    sections.set(heading, [...(sections.get(heading) ?? []), `- ${scope ? `${scope}: ` : ''}${text}`]);
  }
  return [...sections].map(([heading, lines]) => `### ${heading}\n\n${lines.join('\n')}\n`).join('\n');
}

function sinceLastTag(git: (...args: string[]) => string): string[] {
  try {
    return [`${git('describe', '--tags', '--abbrev=0').trim()}..HEAD`];
  } catch {
    return ['HEAD'];
  }
}

process.stdout.write(draft());
