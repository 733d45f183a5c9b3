import Button, { type ButtonProps } from '@mui/material/Button';
import { type ReactNode, useRef } from 'react';

interface FileButtonProps extends Omit<ButtonProps, 'onClick' | 'type'> {
  /** What the hidden input is called. */
  label: string;
  /** As of `<input accept>`. */
  accept: string;
  /** Called with the chosen file; the same file can be chosen again. */
  onFile(file: File): void;
  children: ReactNode;
}

/** A button that opens the browser's file dialog. */
export function FileButton({ label, accept, onFile, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
