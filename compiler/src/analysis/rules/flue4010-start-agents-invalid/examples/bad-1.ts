import { start } from '@flue/runtime/node';
await start({ agents: [] }); // expect: FLUE4010 error
