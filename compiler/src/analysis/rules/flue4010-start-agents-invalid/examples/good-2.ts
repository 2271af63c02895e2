import { flag } from 'flags';
import { start } from '@flue/runtime/node';
await start({ agents: flag() });
