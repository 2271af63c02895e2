import { runTypedExamples } from '../typed-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE2407: every example of the folder is run with a real checker, and finds nothing without one (RULE-07).
runTypedExamples(rule, import.meta.url);
