/**
 * Words that make comments and documents hard to read. ESLint checks them in TypeScript (`eslint-rules.mjs`),
 * `words.spec.ts` in documents and settings.
 */

/** Turns of phrase that a reader has to read twice, each with a plain replacement. */
const IDIOMS = [
  { phrase: /\b(?:whoever|nobody)\b/gi, use: 'a subject, such as "the caller"' },
  { phrase: /\bso (?:many|often|long|much)\b(?! as\b)/gi, use: 'the name of the number' },
  { phrase: /\bst(?:and|ands|ood)\b(?! (?:for|out|by|alone)\b)/gi, use: '"is"' },
  { phrase: /\bwhat (?:came|becomes?|became) of\b/gi, use: '"the result of"' },
  { phrase: /\b(?:one|those) (?:that|who)\b|\bwho (?:has|have|had)\b/gi, use: 'the noun' },
  { phrase: /\b(?:told|tells|hears?|heard)\b/gi, use: '"reports", "receives" or "shows"' },
  { phrase: /\b(?:gives?|gave|given|giving) (?:it |them )?back\b/gi, use: '"returns" or "releases"' },
  { phrase: /\bas (?:it|they) (?:is|was|are|were|came?|stands?)\b/gi, use: '"unchanged" or "raw"' },
  { phrase: /\banew\b/gi, use: '"again"' },
  { phrase: /\bof (?:its|our|their|his|one's) own\b/gi, use: '"separate"' },
  { phrase: /\bthe same (?:of|for|as) (?:a|an|one|it|that|those)\b/gi, use: 'the noun' },
];
const BEGINS_LIKE_A_QUESTION = /^(?:What|Whether)\b/;

/** British stems and their American spelling; endings such as -s, -d and -ing follow. */
const BRITISH = {
  catalogue: 'catalog',
  licence: 'license',
  behaviour: 'behavior',
  neighbour: 'neighbor',
  honour: 'honor',
  colour: 'color',
  favour: 'favor',
  flavour: 'flavor',
  labour: 'labor',
  humour: 'humor',
  rumour: 'rumor',
  harbour: 'harbor',
  odour: 'odor',
  endeavour: 'endeavor',
  centre: 'center',
  theatre: 'theater',
  metre: 'meter',
  litre: 'liter',
  fibre: 'fiber',
  defence: 'defense',
  offence: 'offense',
  pretence: 'pretense',
  practise: 'practice',
  analyse: 'analyze',
  paralyse: 'paralyze',
  organis: 'organiz',
  recognis: 'recogniz',
  realis: 'realiz',
  optimis: 'optimiz',
  minimis: 'minimiz',
  maximis: 'maximiz',
  normalis: 'normaliz',
  serialis: 'serializ',
  summaris: 'summariz',
  authoris: 'authoriz',
  initialis: 'initializ',
  prioritis: 'prioritiz',
  synchronis: 'synchroniz',
  utilis: 'utiliz',
  emphasis: 'emphasiz',
  apologis: 'apologiz',
  categoris: 'categoriz',
  customis: 'customiz',
  standardis: 'standardiz',
  finalis: 'finaliz',
  visualis: 'visualiz',
  tokenis: 'tokeniz',
  capitalis: 'capitaliz',
  randomis: 'randomiz',
  generalis: 'generaliz',
  cancelled: 'canceled',
  cancelling: 'canceling',
  modelled: 'modeled',
  modelling: 'modeling',
  labelled: 'labeled',
  labelling: 'labeling',
  travelled: 'traveled',
  travelling: 'traveling',
  signalled: 'signaled',
  signalling: 'signaling',
  totalled: 'totaled',
  levelled: 'leveled',
  fuelled: 'fueled',
  grey: 'gray',
  cheque: 'check',
  programme: 'program',
  analogue: 'analog',
  artefact: 'artifact',
  sceptical: 'skeptical',
  whilst: 'while',
  amongst: 'among',
  learnt: 'learned',
  spelt: 'spelled',
  burnt: 'burned',
  fulfil: 'fulfill',
  skilful: 'skillful',
  enquir: 'inquir',
  storey: 'story',
  judgement: 'judgment',
  ageing: 'aging',
  mould: 'mold',
  plough: 'plow',
};
const BRITISH_IN_WORD = new RegExp(
  `^(?:un|re|mis|dis)?(${Object.keys(BRITISH).join('|')})(?:e?[sd]|r?s|ed|e|er|ers|ing|able|ation|ations|ful|s|al|ally|ment|y|ies)?$`,
  'i',
);
/** Spelled alike on both sides. */
const NOT_BRITISH = /^(?:analyses|emphasis|minimis|fulfill\w*|programmed|programmer|programmers|programming)$/i;

const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

/**
 * Complaints about a sentence of a document, one for each idiom and British spelling. Code in backticks is left out.
 */
export function complaintsAboutSentence(text) {
  const prose = text.replace(CODE, '``');
  return [
    ...IDIOMS.flatMap(({ phrase, use }) => (prose.match(phrase) ?? []).map((found) => `"${found}": use ${use}`)),
    ...complaintsAboutSpelling(prose),
  ];
}

/** Complaints about a comment: those of a sentence, and a beginning with What or Whether. */
export function complaintsAboutComment(text) {
  const prose = text.replace(/^[\s*]+/, '');
  return [
    ...complaintsAboutSentence(prose),
    ...(BEGINS_LIKE_A_QUESTION.test(prose)
      ? ['a comment begins with What or Whether: begin with a noun, "Returns" or "True if"']
      : []),
  ];
}

/** Complaints about British spellings in a text or an identifier. */
export function complaintsAboutSpelling(text) {
  return (text.match(/[A-Za-z]+/g) ?? []).flatMap(wordsOf).flatMap(british);
}

function british(word) {
  const stem = NOT_BRITISH.test(word) ? undefined : BRITISH_IN_WORD.exec(word)?.[1]?.toLowerCase();
  return stem === undefined ? [] : [`"${word}": use the American spelling (${BRITISH[stem]}…)`];
}

/** The words of an identifier in lower case: `needsNoPromise` is three, `MAX_PLACES` two. */
function wordsOf(name) {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}
