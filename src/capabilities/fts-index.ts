/**
 * The search index on SQLite, in the object that owns the storage: entries by their own words (`EntryStore`, FTS5) and by the
 * goals they served (`GoalStore`). Everything is in the database; `#experience` is a cache that is rebuilt from it at need.
 */
import { EntryStore } from "./entry-store.ts";
import { Experience, type Learned } from "./experience.ts";
import { GoalStore, type StoredGoal } from "./goal-store.ts";
import { queryTerms, scoreEntry, worthOf } from "./lexical.ts";
import { confidenceOf, scoreOf } from "./ranking.ts";
import type { Outcome, SearchEntry, SearchHit, SearchIndex, SearchOptions } from "./search-index.ts";
import { stemsOf } from "./words.ts";

const MAX_GOAL_WORDS = 64; // a goal says what it is about at its start
const LIMITS = { goalsPerEntry: 1_000, goals: 12_000 }; // some 3 MB stored, 50 MB as a cache
const REPLAYS = 4; // earlier goals that one lesson goes over again: four passes over all, by and by
const MAX_PULL = 4; // however often the same goal fails
const LEXICAL_CANDIDATES = 80;
const LEARNED_CANDIDATES = 50;

export class FtsIndex implements SearchIndex {
  readonly #storage: DurableObjectStorage;
  readonly #entries: EntryStore;
  readonly #goals: GoalStore;
  #experience: Experience | undefined;
  readonly #limits: typeof LIMITS;
  #size = 0;

  constructor(storage: DurableObjectStorage, limits = LIMITS) {
    this.#storage = storage;
    this.#limits = limits;
    this.#entries = new EntryStore(storage);
    this.#goals = new GoalStore(storage.sql);
  }

  async put(entries: readonly SearchEntry[]): Promise<void> {
    this.#entries.put(entries);
  }

  async remove(names: readonly string[]): Promise<void> {
    this.#together((experience) => {
      for (const entry of this.#entries.remove(names))
        for (const goal of this.#goals.ofEntry(entry)) this.#forget(goal, experience);
    });
  }

  /** Of all entries of a kind. */
  names(kind: SearchEntry["kind"]): string[] {
    return this.#entries.names(kind);
  }

  async search(query: string, { limit, kinds, minConfidence = 0 }: SearchOptions): Promise<SearchHit[]> {
    const terms = queryTerms(query);
    if (terms.size === 0) return [];
    const corpus = this.#entries.corpusFor(terms.keys());
    const worth = new Map([...terms].map(([term, weight]) => [term, worthOf(term, weight, corpus)]));
    const learned = this.#learned().score(stemsOf(query, MAX_GOAL_WORDS));
    const found = new Set([
      ...this.#entries.candidates(worth, corpus, {
        limit: LEXICAL_CANDIDATES + limit,
        ...(kinds !== undefined && { kinds }),
      }),
      ...strongest(learned, LEARNED_CANDIDATES + limit),
    ]);
    const loaded = this.#entries.load(found, kinds);
    const tried = loaded.filter(({ id }) => (learned.get(id)?.goals ?? 0) > 0).length;
    const coverage = loaded.length === 0 ? 1 : tried / loaded.length;
    const scored = loaded.map(({ id, name, kind, summary, ...entry }) => {
      const evidence = { lexical: scoreEntry(worth, entry, corpus), learned: learned.get(id) };
      return { name, kind, summary, evidence, score: scoreOf(evidence, coverage) };
    });
    scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
    return scored
      .filter(({ score }) => score > 0)
      .map(({ name, kind, summary, evidence, score }, place) => {
        const rival = scored[place === 0 ? 1 : 0]?.score ?? 0;
        return {
          name,
          kind,
          summary,
          score: rounded(score),
          confidence: rounded(confidenceOf(evidence, score - rival, coverage)),
        };
      })
      .filter(({ confidence }) => confidence >= minConfidence)
      .slice(0, limit);
  }

  async learn(query: string, name: string, outcome: Outcome): Promise<void> {
    const entry = this.#entries.idOf(name);
    const stems = stemsOf(query, MAX_GOAL_WORDS);
    if (entry === undefined || stems.length === 0) return;
    const served = outcome === "success";
    this.#together((experience) => {
      const before = this.#goals.find(entry, stems);
      if (before !== undefined) this.#forget(before, experience);
      // The same outcome again goes on from where it was; another one takes its place.
      const pulls = before?.served === served ? before.pulls : new Map<number, number>();
      const goal = this.#goals.insert({ entry, stems, served, pulls });
      this.#size++;
      experience.add(goal);
      this.#teach(goal, experience);
      for (let i = 1; i <= REPLAYS; i++) {
        const earlier = this.#goals.at(spread(goal.id * REPLAYS + i));
        if (earlier?.served === true) this.#teach(earlier, experience);
      }
      if (this.#goals.countOf(entry) > this.#limits.goalsPerEntry) this.#forget(this.#goals.oldest(entry), experience);
      if (this.#size > this.#limits.goals) this.#forget(this.#goals.oldest(), experience);
    });
  }

  #teach(goal: StoredGoal, experience: Experience): void {
    if (!goal.served && (goal.pulls.get(goal.entry) ?? 0) <= -MAX_PULL) return;
    const change = experience.train(goal);
    if (change.size === 0) return;
    for (const [entry, by] of change) goal.pulls.set(entry, (goal.pulls.get(entry) ?? 0) + by);
    this.#goals.savePulls(goal);
  }

  #forget(goal: StoredGoal | undefined, experience: Experience): void {
    if (goal === undefined) return;
    experience.take(goal);
    this.#goals.delete(goal.id);
    this.#size--;
  }

  /** Database and cache change together: when the one is rolled back, the other is dropped. */
  #together(change: (experience: Experience) => void): void {
    const experience = this.#learned();
    try {
      this.#storage.transactionSync(() => change(experience));
    } catch (error) {
      this.#experience = undefined;
      throw error;
    }
  }

  #learned(): Experience {
    if (this.#experience !== undefined) return this.#experience;
    this.#size = this.#goals.count();
    return (this.#experience = Experience.from(() => this.#goals.all()));
  }
}

function strongest(learned: Map<number, Learned>, count: number): number[] {
  return [...learned]
    .map(([id, evidence]): [number, number] => [id, scoreOf({ lexical: 0, learned: evidence })])
    .filter(([, score]) => score > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([id]) => id);
}

/** Spreads numbers evenly and without pattern over 0 to 1; the same ones the same way, so that learning can be repeated. */
const spread = (n: number): number => (Math.imul(n, 0x9e3779b1) >>> 0) / 2 ** 32;

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
