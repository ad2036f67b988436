/** Words that say nothing about a text's subject, in the languages that are asked for most. */
const ENGLISH =
  "a about above after again against all also am an and any are as at be because been before being below between both but by can could did do does doing down during each few for from further had has have having he her here hers him his how i if in into is it its itself just let may me might more most must my no nor not now of off on once one only or other our out over own same shall she should so some such than that the their them then there these they this those through to too under until up upon us very was we were what when where which while who whom why will with would you your yours";
const GERMAN =
  "aber als am an auch auf aus bei bin bis da dann das dass dem den der des die doch du ein eine einem einen einer eines er es für hat haben ich ihr im in ist ja kann kein keine man mit nach nicht noch nur ob oder sein seine sich sie sind so über um und uns unter vom von vor war was wenn wer werden wie wir wird zu zum zur";
const FRENCH =
  "au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui mais même ne nous on ont ou où par pas plus pour qu que qui sa se ses si son sont sur un une vous";
const SPANISH =
  "al como con cuando de del desde el ella ellos en entre es esta este esto ha han hay la las le lo los más muy no nos para pero por porque que se ser si sin sobre son su sus también un una y ya";

const WORDS = new Set([ENGLISH, GERMAN, FRENCH, SPANISH].flatMap((words) => words.split(" ")));

/** Whether a word, in lower case, can't be what a text is about. */
export const isStopWord = (word: string): boolean =>
  word.length < 2 ? !isIdeograph(word) : WORDS.has(word) || /^\d/.test(word);

const isIdeograph = (word: string): boolean => /^\p{Script=Han}$/u.test(word);
