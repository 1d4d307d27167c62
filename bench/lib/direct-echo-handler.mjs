import { DirectInvokeHandler } from 'countersign/handlers';

/** Gives its arguments back: the least that a backend can do. */
class DirectEcho {
  async invoke({ arguments: given }) {
    return given;
  }
}

DirectInvokeHandler('echo')(DirectEcho);

export const handlers = [DirectEcho];
