import { defineTool, useDelivery } from '@flue/runtime';
export const t = defineTool({
  name: 't',
  description: 'd',
  run() {
    const d = useDelivery(); // expect: FLUE2001 error
    return d.kind;
  },
});
