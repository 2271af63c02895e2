'use agent';
import { useModel, useResponseFinish } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useResponseFinish(({ log }) => {
    log.info('done');
  });
}
