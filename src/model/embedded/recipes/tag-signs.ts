// Words that speak for a label. A sign of four letters or more also stands for the words it begins.
// prettier-ignore
const OWN: readonly [label: string, signs: string[]][] = [
  ["bug", ["error","crash","broken","fail","fails","exception","wrong","freez","not working","doesn't work","does not work","stopped working","defect","glitch","issue","500"]],
  ["feature", ["add","support for","would like","would love","it would be","please add","request","wish","allow","enable","implement","suggest","could you","new option"]],
  ["question", ["how","what","why","where","when","is there","can i","how do","does anyone","?"]],
  ["positive", ["good","great","love","excellent","happy","best","amazing","awesome","fantastic","perfect","wonderful","nice","thank","recommend","pleased","enjoy"]],
  ["negative", ["bad","terrible","hate","awful","worst","poor","disappoint","horrible","slow","broken","annoy","refund","useless","unhappy","waste","angry"]],
  ["urgent", ["asap","immediately","urgent","critical","emergency","right away","down","outage","as soon as possible"]],
  ["spam", ["free","winner","prize","click here","buy now","viagra","lottery","credit","offer","cash","limited time"]],
  ["billing", ["invoice","payment","charge","refund","bill","card","subscription","price","receipt"]],
  ["technical", ["error","crash","bug","broken","install","login","log in","password","connect","server","software","router","update","not working","doesn't work","does not work"]],
  ["complaint", ["complain","disappoint","unacceptable","terrible","bad","worst","refund","late","rude","broken"]],
  ["praise", ["great","love","thank","excellent","amazing","awesome","fantastic","perfect","well done"]],
  ["sport", ["game","match","team","player","score","goal","league","coach","win","tournament"]],
  ["politic", ["government","election","minister","president","parliament","vote","law","party","senate"]],
  ["technology", ["software","computer","app","internet","phone","data","device","digital","ai","code"]],
  ["busines", ["company","market","profit","revenue","sale","stock","investor","startup","customer"]],
];

// Other names of a label.
const SAME: readonly [name: string, label: string][] = [
  ["good", "positive"],
  ["bad", "negative"],
  ["happy", "positive"],
  ["unhappy", "negative"],
];

/** The words that speak for each label. */
export const SIGNS: ReadonlyMap<string, string[]> = new Map([
  ...OWN,
  ...SAME.map(([name, label]): [string, string[]] => [name, OWN.find(([own]) => own === label)?.[1] ?? []]),
]);
