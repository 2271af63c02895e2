'use agent';
import { useModel, useTool } from '@flue/runtime';
import { reviewContract } from '../tools/review-contract.ts';

export function ContractReviewer() {
  useModel(process.env.SEEDS_MODEL ?? 'anthropic/claude-haiku-4-5');
  useTool(reviewContract);
  return 'Review the contracts that you are sent, and say which terms deserve a second look.';
}
