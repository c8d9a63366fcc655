import { createHash } from 'node:crypto';

/** Text classes that the estimator is measured on: made, not collected, and the same at every run. */
export interface Sample {
  readonly name: string;
  readonly text: string;
}

/** Reproducible bytes that look random. */
function noise(count: number, seed: string): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; pieces.length * 32 < count; at += 1) {
    pieces.push(createHash('sha256').update(`${seed} ${at}`).digest());
  }
  return Buffer.concat(pieces).subarray(0, count);
}

function uuid(seed: number): string {
  const hex = noise(16, `uuid ${seed}`).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const letters = (alphabet: string, count: number, seed: string): string =>
  Array.from(noise(count, seed), (byte) => alphabet[byte % alphabet.length]).join('');

const list = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const prose =
  'The committee met on the second floor of the old library, where the windows look out over the river. Nobody had expected that the report would be finished before winter, and yet there it was, bound in grey paper, with a letter that thanked everyone by name. After a short discussion about the costs of the new bridge, the members agreed to visit the site together and to publish what they found, however inconvenient it might turn out to be for the contractors. ';
const code = `export async function listOrders(client: Client, options: { limit: number; after?: string }) {
  const orders: Order[] = [];
  for await (const page of client.pages('orders', options)) {
    if (page.items.length === 0) continue;
    orders.push(...page.items.filter((item) => item.status !== 'cancelled'));
  }
  return orders.sort((left, right) => right.createdAt.localeCompare(left.createdAt));
}
`;

export const samples: readonly Sample[] = [
  {
    name: 'dense JSON',
    text: JSON.stringify(
      list(400, (i) => ({ id: i, a: i % 10, ok: i % 3 === 0, t: 1700000000 + i * 977, v: (i * 7919) % 1000 })),
    ),
  },
  {
    name: 'JSON of words',
    text: JSON.stringify(
      list(250, (i) => ({
        name: `Customer ${i}`,
        city: ['Lisbon', 'Oslo', 'Graz'][i % 3],
        status: 'active',
        note: 'called twice, no answer',
      })),
    ),
  },
  {
    name: 'JSON, pretty-printed',
    text: JSON.stringify(
      list(200, (i) => ({ id: i, kind: 'invoice', amount: i * 79.19, open: i % 2 === 0 })),
      null,
      2,
    ),
  },
  {
    name: 'numeric CSV',
    text: list(400, (i) => list(8, (k) => (((i * 7919 + k * 104729) % 1000003) / 97).toFixed(3)).join(',')).join('\n'),
  },
  {
    name: 'numeric CSV, one digit',
    text: list(400, (i) => list(20, (k) => (i * 7 + k * 3) % 10).join(',')).join('\n'),
  },
  { name: 'UUIDs', text: list(400, uuid).join('\n') },
  { name: 'hex', text: noise(8_000, 'hex').toString('hex') },
  { name: 'base64', text: noise(12_000, 'base64').toString('base64') },
  {
    name: 'JSON with base64',
    text: JSON.stringify(
      list(120, (i) => ({ id: uuid(i), token: noise(48, `t${i}`).toString('base64'), scope: 'read' })),
    ),
  },
  { name: 'capitals', text: letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 8_000, 'capitals') },
  { name: 'English prose', text: prose.repeat(20) },
  { name: 'code', text: code.repeat(20) },
  {
    name: 'Chinese',
    text: '每天早上检查库存不足的商品并通知负责人。按地区汇总延迟的订单，核对发票金额与付款之间的差额，然后更新报告。'.repeat(
      30,
    ),
  },
  {
    name: 'Japanese',
    text: '在庫が足りない商品を毎朝確認して担当者に知らせる。請求書の金額と入金の差額を一覧にして、配送が遅れている注文を地域ごとにまとめる。'.repeat(
      30,
    ),
  },
  {
    name: 'Korean',
    text: '재고가 부족한 상품을 매일 아침 확인하여 담당자에게 알린다. 지역별로 늦은 주문을 모으고 청구 금액과 입금액의 차이를 정리한다. '.repeat(
      30,
    ),
  },
  { name: 'emoji', text: list(3_000, (i) => String.fromCodePoint(0x1f300 + ((i * 37) % 700))).join('') },
  { name: 'emoji, joined', text: '👩‍👩‍👧‍👦👨🏽‍💻🏳️‍🌈🇩🇪🇫🇷✈️❤️‍🔥'.repeat(60) },
  {
    name: 'Arabic',
    text: 'يجتمع أعضاء اللجنة كل صباح لمراجعة الطلبات المتأخرة وتحديث التقرير الخاص بالمخزون قبل إرساله إلى المدير. '.repeat(
      30,
    ),
  },
  {
    name: 'Hindi',
    text: 'हर सुबह समिति के सदस्य देर से आए आदेशों की जाँच करते हैं और भंडार की रिपोर्ट तैयार करके प्रबंधक को भेजते हैं। '.repeat(30),
  },
  {
    name: 'Amharic',
    text: 'በየቀኑ ጠዋት የኮሚቴው አባላት የዘገዩትን ትዕዛዞች ይመረምራሉ፤ ከዚያም የክምችቱን ዘገባ አዘጋጅተው ለሥራ አስኪያጁ ይልካሉ። '.repeat(30),
  },
  { name: 'Thai', text: 'ทุกเช้าคณะกรรมการจะตรวจสอบคำสั่งซื้อที่ล่าช้าและจัดทำรายงานสินค้าคงคลังส่งให้ผู้จัดการ '.repeat(30) },
  {
    name: 'Russian',
    text: 'Каждое утро члены комитета проверяют задержанные заказы и готовят отчёт о запасах, который затем отправляют руководителю. '.repeat(
      30,
    ),
  },
  {
    name: 'Greek',
    text: 'Κάθε πρωί τα μέλη της επιτροπής ελέγχουν τις καθυστερημένες παραγγελίες και ετοιμάζουν την αναφορά για τον διευθυντή. '.repeat(
      30,
    ),
  },
  {
    name: 'Vietnamese',
    text: 'Mỗi buổi sáng các thành viên của ủy ban kiểm tra những đơn hàng bị chậm và chuẩn bị báo cáo tồn kho gửi cho giám đốc. '.repeat(
      30,
    ),
  },
];
