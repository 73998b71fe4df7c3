import { csvLine } from './csv';

test.each([
  ['=1+1', "'=1+1"], ['+1', "'+1"], ['-1+1', "'-1+1"], ['@x', "'@x"], ['\t=1', "'\t=1"], ['\r=1', `"'\r=1"`], ['\n=1', `"'\n=1"`], ['-1.5', '-1.5'], ['a=1', 'a=1'], ['a"b', '"a""b"'], ['a,b', '"a,b"'],
])('a cell with %j is written as %j', (text, cell) => {
  expect(csvLine([text, 'x'])).toBe(`${cell},x\r\n`);
});
