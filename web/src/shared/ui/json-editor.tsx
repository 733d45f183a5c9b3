import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import Box from '@mui/material/Box';
import CodeMirror, { EditorView } from '@uiw/react-codemirror';
import { useMemo } from 'react';

interface JsonEditorProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  onBlur?: () => void;
  isWrong?: boolean;
}

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** Plain text in our own colours: those of the editor are too faint on dark paper. */
const look = EditorView.theme({
  '&': { fontSize: '12.5px', color: 'inherit', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--tg-palette-primary-main)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', overflow: 'auto' },
  '.cm-content': { caretColor: 'currentColor' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '.cm-gutters': {
    color: 'var(--tg-palette-text-secondary)',
    backgroundColor: 'var(--tg-palette-background-default)',
    borderRight: '1px solid var(--tg-palette-divider)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--tg-palette-action-hover)' },
  '.cm-tooltip': { color: '#f2f6f5', backgroundColor: '#26312f', border: '1px solid #3a4845' },
});

/** A JSON text; what is no JSON is marked on its line. Tab leaves the field, as everywhere. */
export function JsonEditor({ label, value, onChange, onBlur, isWrong = false }: JsonEditorProps) {
  const extensions = useMemo(
    () => [
      json(),
      linter(jsonParseLinter(), { delay: 300 }),
      lintGutter(),
      look,
      EditorView.lineWrapping,
      EditorView.cspNonce.of(nonce),
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-invalid': String(isWrong) }),
    ],
    [label, isWrong],
  );
  return (
    <Box
      sx={{ border: 1, borderColor: isWrong ? 'error.main' : 'divider', borderRadius: 1, overflow: 'hidden', bgcolor: 'background.paper' }}
    >
      <CodeMirror
        value={value}
        onChange={onChange}
        {...(onBlur && { onBlur })}
        theme="none"
        maxHeight="420px"
        minHeight="80px"
        indentWithTab={false}
        extensions={extensions}
        basicSetup={{
          syntaxHighlighting: false,
          autocompletion: false,
          foldGutter: false,
          highlightSelectionMatches: false,
          searchKeymap: false,
          completionKeymap: false,
        }}
      />
    </Box>
  );
}
