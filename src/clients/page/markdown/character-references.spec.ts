import { decodeReferences } from './character-references';

it.each([
  ['a &lt;b&gt; &amp; c', 'a <b> & c'],
  ['&amp;lt;', '&lt;'],
  ['&#60;&#x3C;&#X1F600;', '<<😀'],
  ['&#0;&#xD800;&#x110000;', '\ufffd\ufffd\ufffd'],
  ['&constructor; &unknown; & &;', '&constructor; &unknown; & &;'],
  ['plain', 'plain'],
])('decodeReferences of %j is %j', (text, decoded) => expect(decodeReferences(text)).toBe(decoded));
