import type { Config } from '../platform/config/config';
import { OperatorError } from '../common/operator-error';

/** Advice for an address on which the service cannot listen; returns any other error unchanged. */
export function explainListenError(error: unknown, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): unknown {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${PORT} is in use; set PORT to another one.`,
    EACCES: `PORT: this process may not listen on ${PORT}; set it to 1024 or more.`,
    EADDRNOTAVAIL: `HOST: this machine has no address ${HOST}; set it to one of its own, or to 0.0.0.0 for all of them.`,
    ENOTFOUND: `HOST: no address is known for ${HOST}; set it to an address of this machine, or to 0.0.0.0 for all of them.`,
  };
  const { code, syscall } = error as NodeJS.ErrnoException;
  const sentence = sentences[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')];
  const isOfListening = syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo';
  if (sentence !== undefined) return new OperatorError(sentence, error);
  return isOfListening
    ? new OperatorError(`HOST, PORT: the service cannot listen at ${HOST}, port ${PORT} (${code}).`, error)
    : error;
}
