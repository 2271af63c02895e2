import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

const Report = v.object({
  riskLevel: v.picklist(['low', 'medium', 'high']),
  summary: v.string(),
});

export const reviewContract = defineTool({
  name: 'review_contract',
  description: 'Review the text of one contract and return how risky its terms are, with a summary.',
  input: v.object({ contract: v.pipe(v.string(), v.nonEmpty()) }),
  output: Report,
  harness: true,
  async run({ harness, data }) {
    await harness.sandbox.writeFile('contract.md', data.contract);
    const { data: report } = await harness.prompt(
      'Review contract.md: look for terms that are not standard, and judge their risk.',
      { result: Report },
    );
    return report;
  },
});
