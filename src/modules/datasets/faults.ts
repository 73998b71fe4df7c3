import { ApiError } from '../../common/errors';

const MAX_FAULTS = 20;
/** Problems of files that are something else. */
export const REGISTRY =
  'has the form of the openai/evals registry, with messages in `input` and `ideal`; the command `mcs import` converts such files';
export const LFS_POINTER = 'is a pointer of Git LFS, not the file; `git lfs pull` fetches the file';

/** True for what Git LFS keeps in place of a file. */
export function isLfsPointer(text: string): boolean {
  return text.startsWith('version https://git-lfs.github.com/');
}

/** A fault of one row: its line, and the rest of a sentence about it. */
export interface Fault {
  line: number;
  problem: string;
}

/** The faults of a body so far, at most 20. */
export class Faults {
  private readonly found: Fault[] = [];

  /** @param unit what `line` counts, such as `Line` */
  constructor(readonly unit: string) {}

  /** True if there is any. */
  get any(): boolean {
    return this.found.length > 0;
  }

  /** Adds a fault. @throws ApiError invalid_request with the twentieth */
  add(line: number, problem: string): void {
    this.found.push({ line, problem });
    if (this.found.length === MAX_FAULTS) this.refuse();
  }

  /** Adds a fault after which nothing can be read. @throws ApiError invalid_request */
  stop(line: number, problem: string): never {
    this.found.push({ line, problem });
    throw this.error();
  }

  /** @throws ApiError invalid_request if there is any */
  refuse(): void {
    if (this.any) throw this.error();
  }

  private error(): ApiError {
    const [first] = this.found;
    return new ApiError('invalid_request', {
      message: `${this.unit} ${first?.line} ${first?.problem}; nothing was stored.${this.found.length < MAX_FAULTS ? '' : ` After ${MAX_FAULTS} faults, the rest was not read.`}`,
      details: { faults: this.found },
    });
  }
}
