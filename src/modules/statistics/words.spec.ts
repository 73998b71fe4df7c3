import { segmented } from './words';

test.each([
  ['', 0],
  ['two  words\n', 2],
  ["don't stop", 2],
  ['a – b', 3],
  ['東京は大きい。', 3],
  ['東京は 大きい', 3],
  ['GPT東京は', 3],
  ['スーパーコンピューター', 1],
  ['한국어는 띄어쓰기가 있다', 3],
  ['ภาษาไทย', 2],
])('%j has %d words', (text, count) => {
  expect(segmented(text.match(/\S+/g) ?? [])).toHaveLength(count);
});
