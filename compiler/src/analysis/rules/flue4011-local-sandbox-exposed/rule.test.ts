import { runExamples } from '../examples.test.kit.ts';
import rule from './rule.ts';

// FLUE4011 (LOC-10): every example of the folder is run, and every safe fix removes its finding.
runExamples(rule, import.meta.url);
