import { runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE1013: every example of the folder is run as a project on disk, and every safe fix removes its finding.
runProjectExamples(rule, import.meta.url);
