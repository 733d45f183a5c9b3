import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useId, useState } from 'react';
import { CodeBlock } from './code-block.tsx';
import { type SnippetLanguage, type SnippetRequest, snippetLanguages, snippetOf } from './snippets.ts';

/** One call in several languages, of which one is shown. */
export function SnippetTabs({ request, label }: { request: SnippetRequest; label: string }) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const id = useId();
  return (
    <Box>
      <Tabs value={language} onChange={(_event, next: SnippetLanguage) => setLanguage(next)} aria-label={label} sx={{ minHeight: 36 }}>
        {snippetLanguages.map((each) => (
          <Tab
            key={each}
            value={each}
            label={each}
            id={`${id}-${each}`}
            aria-controls={`${id}-panel`}
            sx={{ minHeight: 36, py: 0, textTransform: 'none' }}
          />
        ))}
      </Tabs>
      <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${language}`}>
        <CodeBlock code={snippetOf(language, request)} language={language} />
      </Box>
    </Box>
  );
}
