import { expect, it } from 'vitest';
import {
  attachmentId,
  conversationId,
  messageId,
  placedMessageId,
  recordId,
  responseId,
  turnId,
} from './ids.ts';

it('ids are derived from where a record stands (RCD-03)', () => {
  expect(recordId(12, 0)).toBe('rec_12_0');
  expect(conversationId('inc_01J')).toBe('conv_01J');
  expect(conversationId('inc_01J', 2)).toBe('conv_01J.2');
  expect(messageId('sub_A')).toBe('msg_sub_A');
  expect(placedMessageId(12, 1)).toBe('msg_12_1');
  expect(responseId('sub_A')).toBe('res_sub_A');
  expect(turnId(3, { host: 'sub_A' })).toBe('res_sub_A.3');
  expect(turnId(3, { incarnation: 'inc_01J', conv: 2 })).toBe('conv_01J.2.t3');
  expect(attachmentId('0123456789abcdef0123456789abcdef0123')).toBe('att_0123456789abcdef0123456789abcdef');
});
