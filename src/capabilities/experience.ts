/**
 * What was learned from goals, in memory: which words come with which entry. A cache, derived from the goals in `GoalStore`
 * and rebuilt from them. Taking a goal undoes adding it, but for traces in features that rivals came to share since.
 *
 * Two views, for they err differently: the share of an entry's goals that have a feature, and a linear classifier that is
 * trained a step at a time and tells apart entries that resemble each other. The classifier's weights are sums over goals, so
 * that a goal that is forgotten takes its part with it.
 */
import { subjectsOf } from "./thesaurus.ts";

const PAIR_WEIGHT = 0.6; // two words in a row
const SUBJECT_WEIGHT = 0.7;
const SHARE_FLOOR = 0.2; // one goal alone is no habit
const SHARE_SLOPE = 0.05;
const SHARPNESS = 6; // of the classifier's softmax
const STEP = 0.5; // of its training
const SURE = 0.95; // above this a goal has nothing to teach
const UNTRIED = 100; // entries that are rivals although they have served nothing yet: with few, the first goals would teach little
const FAILURE_PULL = -1; // a failure weighs like a goal learned by heart
const MIN_RIVAL = 0.01;
const MAX_RIVALS = 8; // what one step may push away; bounds what a goal stores
const COMMON_SPREAD = 300; // a feature of so many entries tells none of them apart, and costs as many steps

/** What training made of a goal: entry → coefficient of the goal's features in that entry's weights. */
export type Pulls = Map<number, number>;

export interface Goal {
  entry: number;
  stems: readonly string[];
  /** False: it was tried for this goal and failed. */
  served: boolean;
  pulls: Pulls;
}

export interface Learned {
  /** The share of the query's features, by their worth, that the entry's goals have as a habit: 0 to 1. */
  habit: number;
  /** The classifier's score: 0 for the unknown, about 1 for a goal learned by heart, negative for what failed. */
  pull: number;
  /** How many goals it served. */
  goals: number;
}

interface Tie {
  count: number;
  pull: number;
}

interface Posting {
  /** How many goals have the feature, and how many entries served such goals. */
  goals: number;
  entries: number;
  ties: Map<number, Tie>;
}

const noPosting = (): Posting => ({ goals: 0, entries: 0, ties: new Map() });

function featuresOf(stems: readonly string[]): Map<string, number> {
  const features = new Map<string, number>();
  let before = "^";
  for (const word of stems) {
    features.set(word, 1);
    features.set(`${before} ${word}`, PAIR_WEIGHT);
    before = word;
    const subjects = subjectsOf(word);
    const weight = SUBJECT_WEIGHT / Math.sqrt(subjects.length);
    for (const subject of subjects) {
      const key = `#${subject}`;
      if ((features.get(key) ?? 0) < weight) features.set(key, weight);
    }
  }
  return features;
}

export class Experience {
  readonly #postings = new Map<string, Posting>();
  readonly #served = new Map<number, number>();
  #goals = 0;

  /** `goals` is gone through twice: all are counted before any pulls. */
  static from(goals: () => Iterable<Goal>): Experience {
    const experience = new Experience();
    for (const goal of goals()) experience.#count(goal, 1);
    for (const goal of goals()) experience.#push(goal, goal.pulls, 1);
    return experience;
  }

  add(goal: Goal): void {
    this.#count(goal, 1);
    this.#push(goal, goal.pulls, 1);
  }

  /** Of a goal that was added, with the pulls it has now. */
  take(goal: Goal): void {
    this.#count(goal, -1);
    this.#push(goal, goal.pulls, -1);
  }

  /** Every entry that shares a telling feature with the query. */
  score(stems: readonly string[]): Map<number, Learned> {
    const found = new Map<number, Learned>();
    const features = featuresOf(stems);
    const entries = this.#served.size;
    let square = 0;
    let asked = 0;
    let weights = 0;
    for (const [feature, weight] of features) {
      const posting = this.#postings.get(feature);
      const idf = this.#idf(posting?.goals ?? 0);
      const spread = posting?.entries ?? 0;
      const worth = weight * Math.log(1 + Math.max(0, entries - spread + 0.5) / (spread + 0.5));
      square += (weight * idf) ** 2;
      weights += weight * weight;
      asked += worth;
      if (posting === undefined || posting.ties.size > COMMON_SPREAD) continue;
      for (const [entry, { count, pull }] of posting.ties) {
        let sum = found.get(entry);
        if (sum === undefined) found.set(entry, (sum = { habit: 0, pull: 0, goals: this.#served.get(entry) ?? 0 }));
        sum.pull += weight * idf * idf * pull;
        if (count > 0) sum.habit += (worth * count) / (count + SHARE_SLOPE * sum.goals + SHARE_FLOOR);
      }
    }
    for (const sum of found.values()) {
      sum.habit /= asked || 1;
      sum.pull *= Math.sqrt(weights) / (square || 1); // so that a goal is like itself by 1, whatever its words are worth
    }
    return found;
  }

  /** One step of training on a goal that was added. Answers what changes in its pulls; nothing when it is learned already. */
  train(goal: Goal): Pulls {
    const change: Pulls = goal.served ? this.#lesson(goal) : new Map([[goal.entry, FAILURE_PULL]]);
    this.#push(goal, change, 1);
    return change;
  }

  /** A step of multinomial logistic regression, on the entry and its strongest rivals. */
  #lesson({ entry: own, stems }: Goal): Pulls {
    const scores = [...this.score(stems)].filter(([, { goals }]) => goals > 0);
    const best = scores.reduce((most, [, { pull }]) => Math.max(most, pull), 0);
    const odds = scores.map(([entry, { pull }]): [number, number] => [entry, Math.exp((pull - best) * SHARPNESS)]);
    const others = (UNTRIED + Math.max(0, this.#served.size - scores.length)) * Math.exp(-best * SHARPNESS);
    const sum = odds.reduce((total, [, odd]) => total + odd, others);
    const share = (odds.find(([entry]) => entry === own)?.[1] ?? 0) / sum;
    if (share > SURE) return new Map();
    const rivals = odds
      .filter(([entry, odd]) => entry !== own && odd / sum > MIN_RIVAL)
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX_RIVALS);
    return new Map([
      [own, STEP * (1 - share)],
      ...rivals.map(([entry, odd]): [number, number] => [entry, (-STEP * odd) / sum]),
    ]);
  }

  #count({ entry, stems, served }: Goal, sign: 1 | -1): void {
    this.#goals += sign;
    if (served) {
      const count = (this.#served.get(entry) ?? 0) + sign;
      if (count > 0) this.#served.set(entry, count);
      else this.#served.delete(entry);
    }
    for (const feature of featuresOf(stems).keys()) {
      const posting = this.#postings.get(feature) ?? noPosting();
      posting.goals += sign;
      if (served) {
        const tie = posting.ties.get(entry) ?? { count: 0, pull: 0 };
        tie.count += sign;
        if (tie.count === (sign === 1 ? 1 : 0)) posting.entries += sign; // its first, or its last
        this.#tie(posting, entry, tie);
      }
      this.#keep(feature, posting);
    }
  }

  #push({ entry: own, stems }: Goal, pulls: Pulls, sign: 1 | -1): void {
    if (pulls.size === 0) return;
    const features = featuresOf(stems);
    let square = 0;
    for (const weight of features.values()) square += weight * weight;
    const length = Math.sqrt(square) || 1;
    for (const [feature, weight] of features) {
      const posting = this.#postings.get(feature) ?? noPosting();
      for (const [entry, coefficient] of pulls) {
        // A rival is pushed away by features it had: for all others that would be many times more to keep, for little.
        if (coefficient < 0 && entry !== own && !posting.ties.has(entry)) continue;
        const tie = posting.ties.get(entry) ?? { count: 0, pull: 0 };
        tie.pull += (sign * coefficient * weight) / length;
        this.#tie(posting, entry, tie);
      }
      this.#keep(feature, posting);
    }
  }

  #tie({ ties }: Posting, entry: number, tie: Tie): void {
    if (tie.count === 0 && Math.abs(tie.pull) < 1e-9) ties.delete(entry);
    else ties.set(entry, tie);
  }

  #keep(feature: string, posting: Posting): void {
    if (posting.goals === 0 && posting.ties.size === 0) this.#postings.delete(feature);
    else this.#postings.set(feature, posting);
  }

  #idf(goals: number): number {
    return Math.log(1 + this.#goals / (goals + 0.5));
  }
}
