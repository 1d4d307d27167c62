import type { EncoderWeights } from './encoder-weights.js';
import type { Matrix, MatrixWorkspace, Packed } from './matrix.js';

const HEADS = 4;
/** Width of what leaves a layer. */
export const MODEL_WIDTH = 512;
const HIDDEN_WIDTH = 1536;
const EPSILON = 1e-6;

interface Linear {
  readonly weights: Packed;
  readonly bias: Matrix;
}

interface Norm {
  readonly scale: Float32Array;
  readonly shift: Float32Array;
}

/** Reads a linear map `x·weights + bias` into the workspace. */
export function readLinear(
  workspace: MatrixWorkspace,
  weights: Float32Array,
  bias: Float32Array,
): Linear {
  const columns = bias.length;
  const row = workspace.allocate(1, columns);
  workspace.values(row).set(bias);
  return { weights: workspace.pack(weights, weights.length / columns, columns), bias: row };
}

/** Applies a linear map to the first rows of `input`. */
export function applyLinear(
  workspace: MatrixWorkspace,
  { weights, bias }: Linear,
  input: Matrix,
  rows: number,
): Matrix {
  const output = workspace.allocate(rows, weights.columns);
  workspace.multiply(input, weights, bias, output, rows);
  return output;
}

/**
 * One layer of a transformer encoder (Vaswani et al. 2017) in its pre-norm form: attention, then a
 * feed-forward network, each on normalised values and added to what came in. A layer that comes in
 * narrower than it goes out widens the residual by a linear map.
 */
export class TransformerLayer {
  readonly #attentionNorm: Norm;
  readonly #attentionInput: Linear;
  readonly #attentionOutput: Linear;
  readonly #residual: Linear | undefined;
  readonly #networkNorm: Norm;
  readonly #expand: Linear;
  readonly #contract: Linear;

  constructor(
    private readonly workspace: MatrixWorkspace,
    weights: EncoderWeights,
    layer: number,
    private readonly width: number,
  ) {
    const tensor = (name: string, size: number) =>
      weights.tensor(`Layer_${layer}/TransformerLayer/${name}`, size);
    const bias = (name: string, size: number) => tensor(`${name}/ConcatPartitions/concat`, size);
    const norm = (name: string, size: number): Norm => ({
      scale: bias(`${name}layer_prepostprocess/layer_norm/layer_norm_scale`, size),
      shift: bias(`${name}layer_prepostprocess/layer_norm/layer_norm_bias`, size),
    });
    const attention = (name: string, inputs: number, outputs: number) =>
      readLinear(
        workspace,
        tensor(`MultiheadAttention/${name}/kernel/part_0`, inputs * outputs),
        bias(`MultiheadAttention/${name}/bias`, outputs),
      );
    const network = (name: string, inputs: number, outputs: number) =>
      readLinear(
        workspace,
        tensor(`FFN/${name}/Tensordot/Reshape_1`, inputs * outputs),
        bias(`FFN/${name}/bias`, outputs),
      );
    this.#attentionNorm = norm('', width);
    this.#attentionInput = attention('qkv_transform_single', width, width * 3);
    this.#attentionOutput = attention('output_transform_single', width, MODEL_WIDTH);
    this.#residual =
      width === MODEL_WIDTH
        ? undefined
        : readLinear(
            workspace,
            bias('dense/kernel', width * MODEL_WIDTH),
            bias('dense/bias', MODEL_WIDTH),
          );
    this.#networkNorm = norm('FFN/', MODEL_WIDTH);
    this.#expand = network('conv1', MODEL_WIDTH, HIDDEN_WIDTH);
    this.#contract = network('conv2', HIDDEN_WIDTH, MODEL_WIDTH);
  }

  /** @param input one row per token */
  apply(input: Matrix): Matrix {
    const rows = input.rows;
    const { workspace } = this;
    const mixed = applyLinear(workspace, this.#attentionOutput, this.#attend(input), rows);
    const carried =
      this.#residual === undefined ? input : applyLinear(workspace, this.#residual, input, rows);
    addTo(workspace.values(mixed), workspace.values(carried));

    const hidden = applyLinear(
      workspace,
      this.#expand,
      this.#normalize(mixed, this.#networkNorm),
      rows,
    );
    rectify(workspace.values(hidden));
    const output = applyLinear(workspace, this.#contract, hidden, rows);
    addTo(workspace.values(output), workspace.values(mixed));
    return output;
  }

  #attend(input: Matrix): Matrix {
    const normal = this.#normalize(input, this.#attentionNorm);
    const joined = applyLinear(this.workspace, this.#attentionInput, normal, input.rows);
    const output = this.workspace.allocate(input.rows, this.width);
    attention(this.workspace.values(joined), this.workspace.values(output), this.width);
    return output;
  }

  #normalize(input: Matrix, { scale, shift }: Norm): Matrix {
    const output = this.workspace.allocate(input.rows, input.columns);
    const from = this.workspace.values(input);
    const to = this.workspace.values(output);
    const width = scale.length;
    for (let start = 0; start < from.length; start += width) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += from[start + i] as number;
      const mean = sum / width;
      let squares = 0;
      for (let i = 0; i < width; i++) squares += ((from[start + i] as number) - mean) ** 2;
      const factor = 1 / Math.sqrt(squares / width + EPSILON);
      for (let i = 0; i < width; i++) {
        const centred = (from[start + i] as number) - mean;
        to[start + i] = centred * factor * (scale[i] as number) + (shift[i] as number);
      }
    }
    return output;
  }
}

function addTo(target: Float32Array, source: Float32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] as number) + (source[i] as number);
}

function rectify(values: Float32Array): void {
  for (let i = 0; i < values.length; i++) if ((values[i] as number) < 0) values[i] = 0;
}

/** Scaled dot-product attention of every head. @param joined rows of queries, keys and values */
function attention(joined: Float32Array, output: Float32Array, width: number): void {
  const rows = output.length / width;
  const size = width / HEADS;
  const scale = 1 / Math.sqrt(size);
  const weights = new Float64Array(rows);
  output.fill(0);
  for (let offset = 0; offset < width; offset += size) {
    for (let row = 0; row < rows; row++) {
      const query = row * width * 3 + offset;
      let highest = -Infinity;
      for (let other = 0; other < rows; other++) {
        const key = other * width * 3 + width + offset;
        let product = 0;
        for (let i = 0; i < size; i++) {
          product += (joined[query + i] as number) * (joined[key + i] as number);
        }
        weights[other] = product * scale;
        highest = Math.max(highest, product * scale);
      }
      let total = 0;
      for (let other = 0; other < rows; other++) {
        total += weights[other] = Math.exp((weights[other] as number) - highest);
      }
      const to = row * width + offset;
      for (let other = 0; other < rows; other++) {
        const weight = (weights[other] as number) / total;
        const value = other * width * 3 + width * 2 + offset;
        for (let i = 0; i < size; i++) {
          output[to + i] = (output[to + i] as number) + weight * (joined[value + i] as number);
        }
      }
    }
  }
}
