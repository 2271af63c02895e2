/** A module with one good agent, and what is made from it. */
export const AGENT = `'use agent';
import { useModel } from '@flue/runtime';

export function Orders() {
  useModel('offline/demo');
}
`;

/** An error that does not block a build: FLUE2102 at line 6. */
export const TWO_MODELS = AGENT.replace(
  "('offline/demo');",
  "('offline/demo');\n  useModel('offline/demo');",
);

/** An error that does: FLUE5001. */
export const BROKEN = `'use agent';
export function Agent( {
`;
