import { dispatch } from '@flue/runtime';
await dispatch('triage', { id: '1', message: 'x' }); // expect: FLUE4001 error
