import { type Control, type FieldPath, type FieldValues, type UseControllerReturn, useController } from 'react-hook-form';

interface Which<Values extends FieldValues> {
  // biome-ignore lint/suspicious/noExplicitAny: a form whose schema transforms has a third type, which no field needs
  control: Control<Values, any, any>;
  name: FieldPath<Values>;
}

/**
 * A field of a form. One that is left as it was found is judged when the form is sent and not before: who only passed by has done
 * nothing wrong yet.
 */
export function useField<Values extends FieldValues>({ control, name }: Which<Values>): UseControllerReturn {
  const { field, fieldState, formState } = useController({ control, name }) as unknown as UseControllerReturn;
  const onBlur = (): void => {
    // Asked for now: what is left may have been changed by leaving it.
    const { isDirty, isTouched } = control.getFieldState(name);
    if (isDirty || isTouched) field.onBlur();
  };
  return { field: { ...field, onBlur }, fieldState, formState };
}
