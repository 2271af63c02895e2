import { type Child, type Conversation, ROOT } from './state.ts';

/** Open conversations form a tree: each child hangs on a call, or on a hook of the conversation that opened it. */

/** The open children at any depth below the given ones, and those themselves. */
function withDescendants(state: Conversation, children: readonly Child[]): Child[] {
  const found = [...children];
  for (let at = 0; at < found.length; at += 1) {
    const parent = found[at] as Child;
    for (const child of state.conversations.children.values()) {
      if (child.parent === parent.conv) found.push(child);
    }
  }
  return found;
}

/** The open children that this call opened, or that hang below those. */
export function belowCall(state: Conversation, conv: number, call: string): Child[] {
  if (state.conversations.children.size === 0) return [];
  return withDescendants(state, childrenOfCall(state, conv, call));
}

/** The children that this call itself opened, oldest first; a re-executed call may have several (HARN-11). */
export function childrenOfCall(state: Conversation, conv: number, call: string): Child[] {
  const found: Child[] = [];
  for (const child of state.conversations.children.values()) {
    if (child.parent === conv && 'call' in child.opener && child.opener.call === call) found.push(child);
  }
  return found;
}

/** The children that hooks opened, and what hangs below those. */
export function belowHooks(state: Conversation): Child[] {
  const { children } = state.conversations;
  if (children.size === 0) return [];
  return withDescendants(
    state,
    [...children.values()].filter((child) => 'hook' in child.opener),
  );
}

/** 0 for the root. */
export function depth(state: Conversation, conv: number): number {
  let at = conv;
  let steps = 0;
  while (at !== ROOT) {
    at = state.conversations.children.get(at)?.parent ?? ROOT;
    steps += 1;
  }
  return steps;
}

/** Whether a conversation is that one, or hangs below it. */
export function isWithin(state: Conversation, conv: number, ancestor: number): boolean {
  for (let at = conv; ; at = state.conversations.children.get(at)?.parent ?? ROOT) {
    if (at === ancestor) return true;
    if (at === ROOT) return false;
  }
}

/** Whether it is a harness's scratch conversation or hangs below one: such a conversation is never resumed (HARN-11). */
export function inHarness(state: Conversation, conv: number): boolean {
  for (let child = state.conversations.children.get(conv); child; ) {
    if (child.kind === 'harness') return true;
    child = state.conversations.children.get(child.parent);
  }
  return false;
}
