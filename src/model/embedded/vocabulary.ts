import { wordSet } from "./word-set.ts";

/** Words that ask without saying what: they may stand anywhere in a goal and change nothing. */
export const NOISE = wordSet(`
    a an the of in on all my me our us this these those that there is are was were be do does did have has had
    we i you it its their them they please can could would should give show tell find get return compute
    calculate determine display print fetch list what whats which who select pick need want to like data dataset
    table file csv json input inputs spreadsheet array object from for and just only out then now so given
    provided following using attached here up exist exists contain contains altogether overall as at with also
    any s values value but let know about whole entire full set
  `);

/** Words that may stand for the rows, whatever the input is called. */
export const ROW_NOUNS = wordSet(`
    row rows record records entry entries item items element elements one ones people person persons user users
    customer customers client clients order orders product products employee employees student students book
    books movie movies film films song songs transaction transactions sale sales purchase purchases payment
    payments ticket tickets issue issues event events member members task tasks thing things everyone everybody
    review reviews message messages comment comments document documents text texts observation observations line
    lines object objects
  `);

/** Words that may stand for the values of a list. */
export const LIST_NOUNS = wordSet(`
    number numbers string strings name names score scores price prices age ages grade grades
    temperature temperatures amount amounts integers figures elements
  `);

/** Words that may stand for a text. */
export const TEXT_NOUNS = wordSet(`
    text texts article articles essay story stories passage paragraph string strings note notes email mail
    letter report reports transcript transcripts page content contents body log logs post posts feedback
    document documents
  `);

/** Verbs between a row and its field that say nothing more: `who earned the most`. */
export const LINKING = wordSet(`
    scored sold sells earned earns made makes got gets received spent bought costs costing placed comes come
    came belong belongs live lives living located based dated sorted ordered
  `);

export type Operation = "count" | "sum" | "average" | "median" | "min" | "max";

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ...["count", "counts", "counting", "tally"].map((word): [string, Operation] => [word, "count"]),
  ...["sum", "total", "totals", "sums", "add", "combined"].map((word): [string, Operation] => [word, "sum"]),
  ...["average", "averages", "avg", "mean"].map((word): [string, Operation] => [word, "average"]),
  ["median", "median"],
]);
