import { CapabilityHandler, DirectInvokeHandler } from 'countersign/handlers';

/** Gives its arguments back: the least that a backend can do. */
class DirectEcho {
  async invoke({ arguments: given }) {
    return given;
  }

  async *handle() {
    yield { kind: 'rejected', parts: [{ text: 'Invoke me directly.' }] };
  }
}

DirectInvokeHandler('echo')(DirectEcho);
CapabilityHandler('echo')(DirectEcho);

export const handlers = [DirectEcho];
