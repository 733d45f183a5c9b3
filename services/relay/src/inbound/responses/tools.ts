import type { ChatRequest, JsonObject, Tool } from '@tollgate/providers';
import { isObject, worded, wrong } from '../fields.ts';
import type { Unsaid } from '../unsaid.ts';

/** Tools and which of them is to be called. Those that run at a provider keep their own shape. Throws: AppError `invalid_request`. */
export function toolsOf({ tools, input, tool_choice: choice }: JsonObject, unsaid: Unsaid): Partial<ChatRequest> {
  const list = (tools ?? []) as JsonObject[];
  const all = [...list.map((tool, at) => toTool(tool, `tools[${at}]`, unsaid)), ...addedTools(input)];
  return {
    ...(all.length > 0 && { tools: all }),
    ...choiceOf(choice, unsaid),
  };
}

/** Tools that come in the midst of a conversation: what runs at the provider costs the same there. The items themselves are his own way of saying it. */
function addedTools(input: unknown): Tool[] {
  if (!Array.isArray(input)) return [];
  return (input as JsonObject[]).flatMap(({ tools }) =>
    Array.isArray(tools) ? tools.filter(isObject).map(({ type }) => ({ type: worded(type) })) : [],
  );
}

function toTool(tool: JsonObject, param: string, unsaid: Unsaid): Tool {
  const { type, name, description, parameters, strict } = tool;
  if (type !== 'function') {
    unsaid.note(`a tool of type ${worded(type)}`, param);
    return tool as unknown as Tool;
  }
  if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
  if (parameters !== undefined && parameters !== null && !isObject(parameters)) throw wrong(`${param}.parameters must be an object`, param);
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(isObject(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function choiceOf(choice: unknown, unsaid: Unsaid): Partial<ChatRequest> {
  if (choice === undefined || choice === null) return {};
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { tool_choice: choice };
  if (!isObject(choice) || typeof choice.type !== 'string')
    throw wrong('tool_choice must be auto, none, required or a tool', 'tool_choice');
  if (choice.type === 'function' && typeof choice.name === 'string') {
    return { tool_choice: { type: 'function', function: { name: choice.name } } };
  }
  if (choice.type === 'allowed_tools' && Array.isArray(choice.tools) && choice.tools.every(isFunction)) {
    const tools = choice.tools.map(({ name }) => ({ type: 'function', function: { name } }));
    return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } } };
  }
  unsaid.note(`the choice ${worded(choice.type)}`, 'tool_choice');
  return {};
}

function isFunction(tool: unknown): tool is { name: string } {
  return isObject(tool) && tool.type === 'function' && typeof tool.name === 'string';
}
