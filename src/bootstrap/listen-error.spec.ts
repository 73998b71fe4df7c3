import { OperatorError } from '../common/operator-error';
import { explainListenError } from './listen-error';

const said = (code: string, syscall = 'listen') => explainListenError(Object.assign(new Error('raw'), { code, syscall }), { HOST: 'here', PORT: 80 });

describe('an address on which the service cannot listen', () => {
  it.each([
    ['EACCES', 'PORT: this process may not listen on 80; set it to 1024 or more.'],
    ['EAI_AGAIN', 'HOST: no address is known for here; set it to an address of this machine, or to 0.0.0.0 for all of them.'],
    ['EAFNOSUPPORT', 'HOST, PORT: the service cannot listen at here, port 80 (EAFNOSUPPORT).'],
  ])('for %s is told with the setting to change', (code, sentence) => {
    expect(said(code)).toEqual(new OperatorError(sentence));
  });

  it('is not blamed for an error of something else', () => {
    expect(said('EPIPE', 'write')).not.toBeInstanceOf(OperatorError);
  });
});
