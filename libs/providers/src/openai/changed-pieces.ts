import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

/** An answer or a chunk with each message and delta changed, and then each choice; for `repair`. What is no object stays. */
export function withChangedPieces(
  answer: JsonObject,
  changePiece: (piece: JsonObject) => JsonObject,
  changeChoice: (choice: JsonObject) => JsonObject = (choice) => choice,
): JsonObject {
  if (!Array.isArray(answer.choices)) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice: unknown) => {
      if (!isObject(choice)) return choice;
      const changed = { ...choice };
      if (isObject(choice.delta)) changed.delta = changePiece(choice.delta);
      if (isObject(choice.message)) changed.message = changePiece(choice.message);
      return changeChoice(changed);
    }),
  };
}
