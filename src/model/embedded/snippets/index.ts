import { aggregate, extreme } from "./aggregates.ts";
import { describeRows } from "./describe-rows.ts";
import { keywords, pickTag, topSentences } from "./keywords.ts";
import {
  findDates,
  findEmails,
  findHashtags,
  findMentions,
  findNumbers,
  findPhones,
  findQuoted,
  findUrls,
} from "./patterns.ts";
import { composeReport, reviewReport, sentencesOn, toProse } from "./report.ts";
import { distinct, groupBy, sortBy } from "./tables.ts";
import { countOccurrences, toLines, toSentences, toWords } from "./texts.ts";
import { toColumn } from "./to-column.ts";
import { toRows } from "./to-rows.ts";
import { flatten, isDate, read, toNumber, toText, toTime, toYear } from "./values.ts";

/**
 * The functions a cell may carry. A cell gets a function's own source, so each must stand alone: it refers to nothing
 * outside itself, and declares no named function inside (a bundler that keeps names would wrap it in a call of its own).
 */
export const SNIPPETS = {
  aggregate,
  composeReport,
  countOccurrences,
  describeRows,
  distinct,
  extreme,
  findDates,
  findEmails,
  findHashtags,
  findMentions,
  findNumbers,
  findPhones,
  findQuoted,
  findUrls,
  flatten,
  groupBy,
  isDate,
  keywords,
  pickTag,
  read,
  reviewReport,
  sentencesOn,
  sortBy,
  toColumn,
  toLines,
  toNumber,
  toProse,
  toRows,
  toSentences,
  toText,
  toTime,
  toWords,
  toYear,
  topSentences,
};
export type SnippetName = keyof typeof SNIPPETS;
