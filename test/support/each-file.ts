import { noticeFailures } from './failures.ts';

noticeFailures();
