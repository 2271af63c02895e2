import { start } from '@flue/runtime/node';
import { Agent } from './a.ts';
await start({ agents: [Agent] });
