import { OperatorError } from '../common/operator-error';
import { explainListenError } from './listen-error';

const explained = (code: string, syscall = 'listen') =>
  explainListenError(Object.assign(new Error('raw'), { code, syscall }), { HOST: 'here', PORT: 80 });

describe('explainListenError', () => {
  it.each([
    ['EACCES', 'PORT: this process may not listen on 80; set it to 1024 or more.'],
    [
      'EAI_AGAIN',
      'HOST: no address is known for here; set it to an address of this machine, or to 0.0.0.0 for all of them.',
    ],
    ['EAFNOSUPPORT', 'HOST, PORT: the service cannot listen at here, port 80 (EAFNOSUPPORT).'],
  ])('names the setting to change for %s', (code, sentence) => {
    expect(explained(code)).toEqual(new OperatorError(sentence));
  });

  it('does not explain an error of something else', () => {
    expect(explained('EPIPE', 'write')).not.toBeInstanceOf(OperatorError);
  });
});
