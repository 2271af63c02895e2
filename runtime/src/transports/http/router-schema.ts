import type { MergeSchemaPath } from 'hono/types';
import type { InitialDataOf, SendCondition } from '../../app/send-condition.ts';
import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import type { ConversationSnapshot } from '../../conversation/projections/chunk.ts';
import type { Agent } from '../../engine/agent.ts';

type Instance = { param: { id: string } };

/** The JSON routes of one agent's router as Hono's typed client sees them (TRTE-02). */
type AgentRouterSchema<A extends Agent> = {
  '/:id': {
    $post: {
      input: Instance & {
        json: DeliveredMessage & { idempotencyKey?: string } & SendCondition<InitialDataOf<A>>;
      };
      output: {
        streamUrl: string;
        offset: string;
        submissionId: string;
        uid: string;
        acceptedAt: string;
        deduplicated?: true;
      };
      outputFormat: 'json';
      status: 202;
    };
    $get: { input: Instance; output: ConversationSnapshot; outputFormat: 'json'; status: 200 };
  };
  '/:id/abort': {
    $post: {
      input: Instance & { json?: { submissionId?: string } };
      output: { aborted: boolean };
      outputFormat: 'json';
      status: 200;
    };
  };
  '/:id/compact': {
    $post: {
      input: Instance & { json?: { instructions?: string } };
      output: { requested: true };
      outputFormat: 'json';
      status: 202;
    };
  };
};

export type MountedSchema<A extends Agent, Path extends string> = MergeSchemaPath<AgentRouterSchema<A>, Path>;
