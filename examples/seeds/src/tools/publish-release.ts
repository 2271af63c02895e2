import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { releases } from '../shared/releases.ts';

export const publishRelease = defineTool({
  name: 'publish_release',
  description: 'Publish one prepared release, named by its version, to every customer.',
  input: v.object({ version: v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+$/)) }),
  output: v.object({ version: v.string(), publishedTo: v.array(v.string()) }),
  async run({ data }) {
    return releases.publish(data.version);
  },
});
