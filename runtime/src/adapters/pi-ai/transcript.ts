import {
  getCurrentSystemPrompt as currentSystemPrompt,
  getCurrentTools as currentTools,
} from '@earendil-works/pi-ai/utils/transcript';

/** The messages that a handler of `registerApiProvider()` is given: prompt and tools stand in system messages among them. */
export type HandlerMessages = readonly { readonly role: string }[];

/** A tool as a handler declares it to its model; `parameters` is a JSON Schema. */
export interface HandlerTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** The system prompt that holds at the end of the transcript (PROV-14). */
export function getCurrentSystemPrompt(messages: HandlerMessages): string {
  return currentSystemPrompt(messages as Parameters<typeof currentSystemPrompt>[0]);
}

/** The tools that the model has at the end of the transcript, in serialized order (PROV-14, TURN-15). */
export function getCurrentTools(messages: HandlerMessages): HandlerTool[] {
  return currentTools(messages as Parameters<typeof currentTools>[0]);
}
