import { describe, expect, it } from "vitest";
import { answer, type Inputs } from "./cell-runner.ts";

const text = "The cat sat on the mat. The dog chased the cat! Did the cat run?\nYes, the cat ran away.";
const log = "2024-01-05 ERROR disk full\n2024-01-06 INFO ok\n2024-01-07 error net down\n";
const issues = [
  "The app crashes with an error on start",
  "Please add support for dark mode",
  "How do I reset it?",
  "Lunch",
];
const mails = { first: "The app is great, I love it", second: "terrible and slow, worst ever" };
const contacts =
  'Write to ann.lee@example.com or BOB@example.org, call +1 555-010-7788, see https://example.com/a?b=1. #launch on March 5, 2024 with @dee, who said "ship it". It cost 1,200 or 3.5.';
const article =
  "Bees make honey from nectar. Honey bees live in a hive. The weather was mild. A hive of bees can make much honey in a summer. Someone painted a fence.";

const reviews = ["It was late", "Chocolate is great", "Fine, later"];

type Row = [goal: string, inputs: Inputs, expected: unknown];

const COUNT: Row[] = [
  ["count words in each review", { reviews }, [3, 3, 2]],
  ["how many words in each text", { texts: ["a b", ""] }, [2, 0]],
  ["how many words are in each review", { reviews: [{ text: "a b" }] }, [{ text: "a b", words: 2 }]],
  ["how many reviews mention the word late", { reviews }, 1],
  ["count the word cat, thanks!", { text }, 4],
  ["count the words", { text }, 20],
  ["how many words are in the article", { text: "one two" }, 2],
  ["how many lines are in the text", { text }, 2],
  ["how many sentences", { text }, 4],
  ["how many characters does the text have?", { text: "añ😀" }, 3],
  ["count letters", { text: "a1 b!" }, 2],
  ["how many paragraphs", { text: "a\n\nb\n\n\nc" }, 3],
  ["how many words", { text: "" }, 0],
  ["how many lines", { text: "" }, 0],
  ["how many words are in the reviews", { reviews: ["a b", "c"] }, 3],
  ["how many times does cat appear", { text }, 4],
  ['count occurrences of "the" in the text', { text }, 6],
  ["how often is the dog mentioned in the text", { text }, 1],
  ["count the word cat in the text", { text: "cat concatenate Cat." }, 2],
  ["how many unique words", { text: "a b A" }, 2],
  ["how many lines contain error", { log }, 2],
  ["count lines with ERROR", { log }, 2],
];

const LIST: Row[] = [
  ["lines containing the word late", { notes: "later\ntoo late.\n" }, ["too late."]],
  ["reviews containing the word late", { reviews }, ["It was late"]],
  ["reviews containing the phrase 'was late'", { reviews }, ["It was late"]],
  ["reviews without the word late", { reviews }, ["Chocolate is great", "Fine, later"]],
  ["reviews with the word late or great", { reviews }, ["It was late", "Chocolate is great"]],
  ["top 1 words", { text }, [{ value: "the", count: 6 }]],
  [
    "top 2 words",
    { text },
    [
      { value: "the", count: 6 },
      { value: "cat", count: 4 },
    ],
  ],
  ["lines containing ERROR", { log }, ["2024-01-05 ERROR disk full", "2024-01-07 error net down"]],
  ["show me the lines that do not contain error", { log }, ["2024-01-06 INFO ok"]],
  ["first 2 lines", { log: "a\r\nb\r\nc" }, ["a", "b"]],
  ["longest word in the text", { text }, "chased"],
  ["words longer than 4 letters", { text }, ["chased"]],
  [
    "top 2 most frequent words in the text",
    { text },
    [
      { value: "the", count: 6 },
      { value: "cat", count: 4 },
    ],
  ],
  ["word frequency", { text: "a b A" }, { a: 2, b: 1 }],
];

const EXTRACT: Row[] = [
  ["extract numbers", { note: "10.0.0.1 at 12:30 on 2024-01-05, March 5, 2024, 5/1/2024; v1.2.3 has 3.5" }, [3.5]],
  ["extract numbers", { note: "10-20 of 1,200 in May 3" }, [10, 20, 1200]],
  ["extract all email addresses from the text", { contacts }, ["ann.lee@example.com", "BOB@example.org"]],
  ["find the urls", { contacts }, ["https://example.com/a?b=1"]],
  ["extract phone numbers", { contacts }, ["+1 555-010-7788"]],
  ["extract the dates", { contacts }, ["March 5, 2024"]],
  ["list the hashtags", { contacts }, ["#launch"]],
  ["extract mentions", { contacts }, ["@dee"]],
  ["extract the text in quotes", { contacts }, ["ship it"]],
  ["extract numbers", { note: "It cost 1,200 or 3.5, not -7." }, [1200, 3.5, -7]],
  ["how many emails are in the text", { contacts }, 2],
  [
    "extract emails and hashtags",
    { contacts },
    { emails: ["ann.lee@example.com", "BOB@example.org"], hashtags: ["#launch"] },
  ],
  ["extract dates", { log }, ["2024-01-05", "2024-01-06", "2024-01-07"]],
  ["extract all emails", { rows: [{ who: "a@b.co" }, { who: "c@d.co", n: 1 }] }, ["a@b.co", "c@d.co"]],
  ["extract emails", { text: "" }, []],
];

const TAG: Row[] = [
  ["label each review: complaint, praise", { reviews: reviews.slice(0, 2) }, ["complaint", "praise"]],
  ["classify the reviews into good and bad", { reviews: ["great", "awful", "it is"] }, ["good", "bad", null]],
  ["label each as positive or negative", { reviews: ["great but slow", "nice"] }, [null, "positive"]],
  ["tag each as bug, feature or question", { issues }, ["bug", "feature", "question", null]],
  ["classify each issue into bug, feature, question or other", { issues }, ["bug", "feature", "question", "other"]],
  ["label each as positive or negative", { mails }, { first: "positive", second: "negative" }],
  ["tag the text with 2 keywords", { text: "Red apples. Green apples and red pears, apples!" }, ["apples", "red"]],
  ["extract keywords", { text }, ["cat", "sat", "mat", "dog", "chased"]],
  [
    "keywords for each text",
    { texts: ["red green red", "blue blue sky"] },
    [
      ["red", "green"],
      ["blue", "sky"],
    ],
  ],
  [
    "tag each review as positive or negative",
    { reviews: [{ id: 1, text: "great stuff" }, { id: 2 }] },
    [
      { id: 1, text: "great stuff", tag: "positive" },
      { id: 2, tag: null },
    ],
  ],
];

const REWRITE: Row[] = [
  ["summarise the article in two sentences", { article }, "Bees make honey from nectar. Honey bees live in a hive."],
  ["summarize in 1 sentence", { article }, "Honey bees live in a hive."],
  ["give me a short summary of the text", { text: "Only one." }, "Only one."],
  ["summarise in 2 bullet points", { text: "One fish. Two fish." }, ["One fish.", "Two fish."]],
  ["summarise the text", { text: "" }, ""],
  ["summarise: One. Two.", { reviews }, "One. Two."],
  ["sum up the text in 1 sentence", { text: "Only one." }, "Only one."],
  ["convert the text to uppercase", { text: "abc" }, "ABC"],
  ["make it title case", { text: "the quick fox" }, "The Quick Fox"],
  ["reverse the list", { list: [1, 2, 3] }, [3, 2, 1]],
];

const NO_INPUTS: Row[] = [
  ["count the words in: the quick brown fox", {}, 4],
  ['count the words in "the quick brown fox"', {}, 4],
  ["how many lines are in this text\n\none\ntwo", {}, 2],
  ['how many times does "a" appear in "banana"', {}, 3],
  ["sum of 1, 2, 3", {}, 6],
  ["what is the average of 4, 8 and 15?", {}, 9],
  ["sort: banana, apple, cherry", {}, ["apple", "banana", "cherry"]],
  ["sort these numbers 5 2 9", {}, [2, 5, 9]],
  ["extract the emails from: write to a@b.co", {}, ["a@b.co"]],
  ["total amount by city:\ncity,amount\nRome,2\nOslo,3\nRome,5", {}, { Rome: 7, Oslo: 3 }],
  ['unique values in ["x", "y", "x"]', {}, ["x", "y"]],
  ['average age: [{"age": 20}, {"age": 40}]', {}, 30],
  ["summarise this: One fish. Two fish.", {}, "One fish. Two fish."],
  ['reverse "hello"', {}, "olleh"],
  ["uppercase: hello world", {}, "HELLO WORLD"],
  ["what is 17 * 23", {}, 391],
  ["(3+4)/2", {}, 3.5],
  ["What's 15% of 200?", {}, 30],
  ["2^10", {}, 1024],
  ["calculate -2 ** 2", {}, -4],
  ["10 - 2 - 3", {}, 5],
  ["what is 0.1 + 0.2", {}, 0.3],
  ["12 divided by 5", {}, 2.4],
  ["square root of 16", {}, 4],
  ["1,000 + 007", {}, 1007],
  ["say hello", {}, "Hello!"],
  ["Hello!", {}, "Hello!"],
  ['say "good night"', {}, "good night"],
  ["echo one two", {}, "one two"],
];

describe.each([
  ["counts in texts", COUNT],
  ["lists parts of texts", LIST],
  ["extracts", EXTRACT],
  ["tags", TAG],
  ["rewrites", REWRITE],
  ["answers goals that carry their own data", NO_INPUTS],
])("the embedded planner %s", (_, rows) => {
  it.each(rows)("%s", async (goal, inputs, expected) => {
    expect(await answer(goal, inputs)).toEqual(expected);
  });
});

it("says what it can do, one line a recipe", async () => {
  const lines = await answer("what can you do?");
  expect(lines).toContainEqual(expect.stringMatching(/^group: .*"total revenue by region"/));
});

it("fails rather than leave every text without a label", async () => {
  await expect(answer("classify the reviews into red and blue", { reviews })).rejects.toThrow("speaks for red or blue");
  expect(await answer("classify the reviews into red and blue", { reviews: [] })).toEqual([]);
});

it("refuses to divide by zero with a reason", async () => {
  await expect(answer("what is 1/0")).rejects.toThrow("divided by zero");
});
